import { z } from "zod"

/** The schema of one tool: another for each name, as tools of an application are, so that nobody gains by knowing one already. */
export const schemaOf = (name: string) => z.object({ [name]: z.string().min(1), done: z.boolean().default(false) })
