// Imported first: without it, each tool that throws on purpose is told to a developer.
process.env["NODE_ENV"] = "production"
