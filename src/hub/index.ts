/** `react-tool-client/hub`: one session at a hub, over WebSocket. */
export { createHubClient, type HubClient, type HubClientOptions, type ListedFunction, type SignalOptions } from "./hubClient.ts"
export type { HubAuth } from "./hubOptions.ts"
export {
  type Credentials,
  type HubEvent,
  type PromptBody,
  type PromptOptions,
  REMOTE_CALL_TIMEOUT_MS,
  type RemoteChoice,
  type RemoteFunction,
  type RemoteListEntry,
} from "./messages.ts"
export { RemoteError, type RemoteErrorCode } from "./remoteError.ts"
export type { WebSocketClass, WebSocketLike } from "./webSocket.ts"
