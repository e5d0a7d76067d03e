import type { Page } from "playwright"

/** WCAG 2.2, 1.4.3: the ratio that text needs to its background. */
const MIN_RATIO = 4.5

/** The page's texts whose contrast to the background is too low, each with its ratio. */
export const lowContrast = (page: Page): Promise<string[]> =>
  page.evaluate((minRatio) => {
    type Rgb = readonly [number, number, number]

    const rgba = (color: string): readonly number[] => color.match(/[\d.]+/g)?.map(Number) ?? []

    function backgroundOf(element: Element | null): Rgb {
      if (!element) return [255, 255, 255]
      const [red = 0, green = 0, blue = 0, alpha = 1] = rgba(getComputedStyle(element).backgroundColor)
      if (alpha === 1) return [red, green, blue]
      const behind = backgroundOf(element.parentElement)
      const mix = (front: number, back: number): number => front * alpha + back * (1 - alpha)
      return [mix(red, behind[0]), mix(green, behind[1]), mix(blue, behind[2])]
    }

    function luminance(color: readonly number[]): number {
      const [red = 0, green = 0, blue = 0] = color.map((value) => {
        const channel = value / 255
        return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement
      const text = node.textContent?.trim() ?? ""
      if (!element || text === "" || !element.checkVisibility() || element.matches(":disabled, :disabled *")) continue
      const front = luminance(rgba(getComputedStyle(element).color).slice(0, 3))
      const back = luminance(backgroundOf(element))
      const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05)
      if (ratio < minRatio) found.push(`${ratio.toFixed(2)} "${text}"`)
    }
    return found
  }, MIN_RATIO)
