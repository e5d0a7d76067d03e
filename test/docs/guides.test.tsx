// @vitest-environment jsdom
// The guides' own tests, as they stand there.
import "docs:docs/guides/testing.md/Counter.test.tsx"
import "docs:docs/guides/testing.md/DeleteFile.test.tsx"
import "docs:docs/guides/testing.md/Total.test.tsx"
