/**
 * A path as requests carry it: `/größe` is `/gr%C3%B6%C3%9Fe` on the wire (WHATWG URL, "path percent-encode set"), so that what is compared with theirs must be
 * written so. What is written so already stays.
 *
 * @param path - Begins with `/`, or is empty.
 */
export const urlPath = (path: string): string => (path === "" ? "" : new URL(`http://path.invalid${path}`).pathname)
