import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Certificate {
  /** PEM. It signs itself, so it is its own authority. */
  readonly cert: string
  /** PEM. */
  readonly key: string
}

/** A certificate of the machine's own names, good for a day, made by the `openssl` command. */
export function createCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"))
  try {
    const [certPath, keyPath] = [join(folder, "cert.pem"), join(folder, "key.pem")]
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", certPath, "-keyout", keyPath],
      { stdio: "pipe" },
    )
    return { cert: readFileSync(certPath, "utf8"), key: readFileSync(keyPath, "utf8") }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
