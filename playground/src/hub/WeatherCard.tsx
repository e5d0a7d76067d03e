import { useState } from "react"
import { type ToolClient, useTools } from "react-tool-client"
import { z } from "zod"
import { Card } from "../ui/Card.tsx"
import { ToolChips } from "../ui/ToolChips.tsx"
import styles from "./hub.module.css"
import { nextName } from "./nextName.ts"
import { ServingState } from "./ServingState.tsx"
import { type CityWeather, FIRST_WEATHER, MAX_CELSIUS, MIN_CELSIUS, SKIES, type Sky } from "./weather.ts"

const FUNCTIONS = ["get_forecast", "set_weather", "add_city"]

export interface WeatherCardProps {
  readonly client: ToolClient
  readonly remotename: string
  readonly isServing: boolean
  /** Whether the hub has a remote of this name that is not this tab's. */
  readonly isTaken: boolean
  onServe(this: void, remotename: string | null): void
}

/** A remote that this tab serves: whoever calls it reads and changes what stands here. */
export function WeatherCard({ client, remotename, isServing, isTaken, onServe }: WeatherCardProps) {
  const [weather, setWeather] = useState(FIRST_WEATHER)
  const [asked, setAsked] = useState<string | null>(null)
  const cities = weather.map(({ city }) => city)
  const change = (city: string, next: Partial<CityWeather>): void =>
    setWeather((now) => now.map((one) => (one.city === city ? { ...one, ...next } : one)))

  useTools(client, {
    get_forecast: {
      title: "Get the forecast",
      description: "Retrieve the weather forecast for a city.",
      schema: z.object({ city: z.enum(cities).describe("City name") }),
      execute({ city }) {
        setAsked(city)
        const { sky, celsius } = weather.find((one) => one.city === city) ?? {}
        return { city, forecast: sky, celsius }
      },
    },
    set_weather: {
      title: "Make weather",
      description: "Change the weather of a city, for everybody who asks from now on.",
      schema: z.object({
        city: z.enum(cities),
        sky: z.enum(SKIES),
        celsius: z.int().min(MIN_CELSIUS).max(MAX_CELSIUS).exactOptional(),
      }),
      execute({ city, ...next }) {
        change(city, next)
        setAsked(city)
        return `The weather of ${city} is changed.`
      },
    },
    add_city: {
      title: "Add a city",
      // The list of cities is part of the other functions' schemas: they change with it, and go out before the answer.
      description: "Add a city to those whose weather is known.",
      schema: z.object({ city: z.string().trim().min(1).max(40) }),
      execute({ city }) {
        if (cities.includes(city)) return `${city} is there already.`
        setWeather((now) => [...now, { city, sky: "cloudy", celsius: 15 }])
        return `${city} is added.`
      },
    },
  })

  return (
    <Card
      title="Weather service"
      aside={<ServingState client={client} isServing={isServing} isTaken={isTaken} />}
      footer={<ToolChips client={client} names={FUNCTIONS} />}
    >
      <form
        // Another name is another form, with what was typed gone.
        key={remotename}
        className={styles.serve}
        onSubmit={(event) => {
          event.preventDefault()
          const name = new FormData(event.currentTarget).get("remotename")
          onServe(typeof name === "string" ? name.trim() : remotename)
        }}
      >
        <label className="field">
          <span>Remote name</span>
          <input name="remotename" required pattern="[A-Za-z0-9_\-]+" title="Letters, digits, _ and -" defaultValue={remotename} autoComplete="off" spellCheck={false} />
        </label>
        <button type="submit" className={isServing ? "secondary" : undefined}>
          {isServing ? "Rename" : "Serve"}
        </button>
        {isServing && (
          <button type="button" className="secondary" onClick={() => onServe(null)}>
            Stop
          </button>
        )}
      </form>
      {isServing && isTaken && (
        <div className={styles.taken} role="alert">
          <p>
            Another tab serves <code>{remotename}</code>, and the hub lets nobody take a name over.
          </p>
          <button type="button" className="small" onClick={() => onServe(nextName(remotename))}>
            Serve as {nextName(remotename)}
          </button>
        </div>
      )}
      <table className={styles.weather}>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">City</th>
            <th scope="col">Sky</th>
            <th scope="col">Degrees Celsius</th>
          </tr>
        </thead>
        <tbody>
          {weather.map(({ city, sky, celsius }) => (
            <tr key={city} data-asked={city === asked}>
              <th scope="row">{city}</th>
              <td>
                <select aria-label={`Sky over ${city}`} value={sky} onChange={(event) => change(city, { sky: event.target.value as Sky })}>
                  {SKIES.map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </select>
              </td>
              <td>
                <input
                  type="number"
                  aria-label={`Temperature in ${city}, degrees Celsius`}
                  min={MIN_CELSIUS}
                  max={MAX_CELSIUS}
                  value={celsius}
                  onChange={(event) => change(city, { celsius: event.target.valueAsNumber || 0 })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}
