export const SKIES = ["sunny", "cloudy", "rain", "snow", "storm"] as const

export type Sky = (typeof SKIES)[number]

export interface CityWeather {
  readonly city: string
  readonly sky: Sky
  readonly celsius: number
}

export const FIRST_WEATHER: readonly CityWeather[] = [
  { city: "Rome", sky: "sunny", celsius: 24 },
  { city: "Oslo", sky: "snow", celsius: -3 },
  { city: "Lisbon", sky: "cloudy", celsius: 19 },
  { city: "Kyoto", sky: "rain", celsius: 14 },
]

export const MIN_CELSIUS = -60
export const MAX_CELSIUS = 60
