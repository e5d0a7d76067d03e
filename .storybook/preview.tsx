import type { Preview } from "@storybook/react-vite"
import "../stories/support/stories.css"

const preview: Preview = {
  tags: ["autodocs"],
  parameters: {
    layout: "padded",
    controls: { disable: true },
    // A story with a fault in its accessibility fails its test.
    a11y: { test: "error" },
    docs: { toc: true },
    options: { storySort: { order: ["Session", "Tool client", "Tools", "Calls", "Approval", "Live panel"] } },
  },
}

export default preview
