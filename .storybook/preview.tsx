import type { Decorator, Preview } from "@storybook/react-vite"
import { themes } from "storybook/theming"
import { Lead } from "../stories/support/Lead.tsx"
import "../stories/support/stories.css"

const isDocs = (): boolean => new URLSearchParams(location.search).get("viewMode") === "docs"

/** The stories of a page of documentation play all at once: what one of them puts the focus on must not scroll the page there. */
const { focus } = HTMLElement.prototype
HTMLElement.prototype.focus = function (options) {
  focus.call(this, isDocs() ? { ...options, preventScroll: true } : options)
}

/** What a story shows, above it; on a page of documentation it stands there already. */
const withLead: Decorator = (Story, { viewMode, parameters }) => (
  <>
    {viewMode === "story" && <Lead parameters={parameters} />}
    <Story />
  </>
)

const preview: Preview = {
  tags: ["autodocs"],
  decorators: [withLead],
  parameters: {
    layout: "padded",
    controls: { disable: true },
    backgrounds: { disable: true },
    // A story with a fault in its accessibility fails its test.
    a11y: { test: "error" },
    docs: {
      toc: true,
      theme: matchMedia("(prefers-color-scheme: dark)").matches ? themes.dark : themes.light,
      // Each is seen in the state that it is about, which its play function leads to.
      story: { autoplay: true },
    },
    options: { storySort: { order: ["Session", "Tool client", "Tools", "Calls", "Approval", "Live panel"] } },
  },
}

export default preview
