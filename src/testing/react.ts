"use client"

/** `react-tool-client/testing/react`: a test session around a rendered tree, on React Testing Library. */
export { renderWithSession, type RenderedWithSession, type RenderWithSessionOptions } from "./renderWithSession.tsx"
