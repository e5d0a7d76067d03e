/** `weather-service` is followed by `weather-service-2`, and that by `weather-service-3`. */
export function nextName(remotename: string): string {
  const [, stem = remotename, count = "1"] = /^(.*?)(?:-(\d+))?$/.exec(remotename) ?? []
  return `${stem}-${Number(count) + 1}`
}
