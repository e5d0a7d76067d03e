import { serve } from "@hono/node-server"
import express from "express"
import { Hono } from "hono"
import { createServer } from "node:http"
import { createSecureServer, createServer as createHttp2Server } from "node:http2"
import { createServer as createHttpsServer } from "node:https"
import { EventEmitter } from "node:events"
import { test } from "vitest"
import { attachEventSockets, createHubServer, createNodeHandler, createSessionServer } from "./index.ts"

const sessions = createSessionServer()
const handler = createNodeHandler(sessions)
const hub = createHubServer({ authenticate: () => null })

test("what Hono's `serve` gives takes sockets", async () => {
  const http = serve({ fetch: new Hono().all("/v1/*", (context) => sessions.fetch(context.req.raw)).fetch })
  await attachEventSockets(http, sessions)
  await hub.attach(http)
})

test("Node's own servers take the handler, and sockets", async () => {
  for (const http of [createServer(handler), createHttpsServer(handler), createHttp2Server(handler), createSecureServer({ allowHTTP1: true }, handler)]) {
    await attachEventSockets(http, sessions)
    await hub.attach(http)
  }
})

test("so does an application of Express", async () => {
  const app = express().use("/agents", handler)
  app.all("/v1/{*path}", handler)
  await attachEventSockets(app.listen(0), sessions, { mountPath: "/agents" })
  await attachEventSockets(createServer(app), sessions)
})

test("what is no server does not", async () => {
  // @ts-expect-error: it does not listen
  await attachEventSockets(new EventEmitter(), sessions)
  // @ts-expect-error: the application, not what its `listen` gives
  await attachEventSockets(express(), sessions)
})
