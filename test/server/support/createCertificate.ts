import { generate } from "selfsigned"

export interface Certificate {
  /** PEM. It signs itself, so it is its own authority. */
  readonly cert: string
  /** PEM. */
  readonly key: string
}

/** A certificate of the machine's own names, good for a day at least. */
export async function createCertificate(): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }, { type: 7, ip: "127.0.0.1" }] },
    ],
  })
  return { cert, key }
}
