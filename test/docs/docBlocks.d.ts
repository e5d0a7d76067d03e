/** A block of a document: `docs:README.md/Todos.test.tsx`. What it exports is checked with the documents; a test says what it takes it for. */
declare module "docs:*"
