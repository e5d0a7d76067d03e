/** A session server's numbers in the text format of Prometheus. No label holds what a page or an agent chooses, so that there are few series. */
import { createCounter, createGauge, createHistogram } from "./metricFamilies.ts"
import type { ServerEvent, ServerObserver } from "./serverEvents.ts"

export interface Metrics {
  /** For `observers` of `createSessionServer`. */
  readonly observer: ServerObserver
  /** The numbers as they are now, in the text exposition format 0.0.4. */
  text(): string
}

/** `Content-Type` of `text()`. */
export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/** Upper ends in seconds: a tool of a page takes milliseconds, or as long as a person thinks, or its whole deadline. */
const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
/** A page acks at once, or is hidden, or is gone. */
const ACK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Requests are short but for those that wait for a call. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Others are counted as one: whoever asks chooses the word. */
const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE", "OPTIONS"])

/** Creates counters for one server process. A collector of your own reads `text()`; do not open it to the public. */
export function createMetrics(): Metrics {
  const requests = createCounter("react_tool_client_requests_total", "Requests answered, by route, method, status and the code of a refusal.", ["route", "method", "status", "code"])
  const requestSeconds = createHistogram("react_tool_client_request_duration_seconds", "From a request to its answer's headers; some routes wait for a call.", ["route"], REQUEST_SECONDS)
  const streams = createGauge("react_tool_client_streams", "Event streams that are open.")
  const streamsOpened = createCounter("react_tool_client_streams_opened_total", "Event streams opened.", [])
  const streamsClosed = createCounter("react_tool_client_streams_closed_total", "Event streams ended, by reason.", ["reason"])
  const registered = createCounter("react_tool_client_tool_clients_registered_total", "Tool clients registered, or offered again.", [])
  const gone = createCounter("react_tool_client_tool_clients_gone_total", "Tool clients that are gone, by reason: deleted (superseded and left too) or expired.", ["reason"])
  const requested = createCounter("react_tool_client_calls_requested_total", "Calls that agents have asked for.", [])
  const dispatched = createCounter("react_tool_client_calls_dispatched_total", "Dispatches of calls to pages, first ones and repeats.", ["repeat"])
  const settled = createCounter("react_tool_client_calls_settled_total", "Calls settled, by reason and by whether they are an error.", ["reason", "error"])
  const ackSeconds = createHistogram("react_tool_client_call_ack_seconds", "From a call to its page's ack.", [], ACK_SECONDS)
  const callSeconds = createHistogram("react_tool_client_call_duration_seconds", "From a call to its outcome, by reason.", ["reason"], CALL_SECONDS)
  const revoked = createCounter("react_tool_client_revocations_total", "Sessions and tokens revoked.", ["what"])
  const draining = createGauge("react_tool_client_draining", "1 while the server stops, 0 before.")
  const families = [requests, requestSeconds, streams, streamsOpened, streamsClosed, registered, gone, requested, dispatched, settled, ackSeconds, callSeconds, revoked, draining]

  function observer(event: ServerEvent): void {
    switch (event.type) {
      case "request.answered": {
        const method = METHODS.has(event.method) ? event.method : "other"
        requests.add([event.route, method, String(event.status), event.code ?? ""])
        return requestSeconds.observe([event.route], event.durationMs / 1000)
      }
      case "stream.opened":
        streamsOpened.add([])
        return streams.add(1)
      case "stream.closed":
        streamsClosed.add([event.reason])
        return streams.add(-1)
      case "client.registered":
        return registered.add([])
      case "client.deleted":
        return gone.add(["deleted"])
      case "client.expired":
        return gone.add(["expired"])
      case "call.requested":
        return requested.add([])
      case "call.dispatched":
        return dispatched.add([String(event.isRepeat)])
      case "call.acked":
        return ackSeconds.observe([], event.durationMs / 1000)
      case "call.settled":
        settled.add([event.reason, String(event.isError)])
        return callSeconds.observe([event.reason], event.durationMs / 1000)
      case "session.revoked":
        return revoked.add(["session"])
      case "token.revoked":
        return revoked.add(["token"])
      case "server.draining":
        return draining.set(1)
      case "server.closed":
        return
      default:
        return event satisfies never
    }
  }

  return { observer, text: () => families.map((family) => family.text()).join("\n") }
}
