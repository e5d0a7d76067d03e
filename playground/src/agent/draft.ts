import type { JsonValue } from "react-tool-client"
import type { Field } from "./schemaField.ts"

/** What a person has typed so far, which need not be a value yet. Of another shape than its field it counts as nothing typed. */
export type Draft = string | boolean | readonly Draft[] | { readonly [name: string]: Draft } | undefined

/** What a draft says: a value, nothing (it is left out), or something that is no value. */
export type Reading =
  | { readonly type: "value"; readonly value: JsonValue }
  | { readonly type: "nothing" }
  | { readonly type: "problem"; readonly problem: string }

const NOTHING: Reading = { type: "nothing" }

const valueReading = (value: JsonValue): Reading => ({ type: "value", value })

export const textDraft = (draft: Draft): string => (typeof draft === "string" ? draft : "")

export const listDraft = (draft: Draft): readonly Draft[] => (Array.isArray(draft) ? (draft as readonly Draft[]) : [])

export const groupDraft = (draft: Draft): { readonly [name: string]: Draft } =>
  typeof draft === "object" && !Array.isArray(draft) ? (draft as { readonly [name: string]: Draft }) : {}

/** What a person would have to type for this value. */
export function draftOf(field: Field, value: JsonValue | undefined = field.initial): Draft {
  switch (field.kind) {
    case "boolean":
      return value === true
    case "list":
      return Array.isArray(value) ? value.map((item: JsonValue) => draftOf(field.item, item)) : []
    case "group": {
      const values = typeof value === "object" && value !== null ? (value as Record<string, JsonValue>) : {}
      return Object.fromEntries(field.properties.map(({ name, field: property }) => [name, draftOf(property, values[name] ?? property.initial)]))
    }
    case "choice":
    case "json":
      return value === undefined ? "" : JSON.stringify(value)
    case "text":
    case "number":
      return value === undefined || typeof value === "object" ? "" : String(value)
    default:
      return field satisfies never
  }
}

/** All items or properties, unless one of them is no value. */
function readAll(readings: readonly Reading[]): readonly Reading[] | Reading {
  return readings.find(({ type }) => type === "problem") ?? readings
}

const isProblem = (readings: readonly Reading[] | Reading): readings is Reading => "type" in readings

/**
 * The value of a draft. What is empty is left out unless it is required, and then only what can be empty is sent: the tool's own
 * validation is what a wrong call shall meet.
 */
export function readDraft(field: Field, draft: Draft, isRequired: boolean): Reading {
  switch (field.kind) {
    case "text": {
      const text = textDraft(draft)
      return text === "" && !isRequired ? NOTHING : valueReading(text)
    }
    case "number": {
      const text = textDraft(draft).trim()
      if (text === "") return NOTHING
      const number = Number(text)
      return Number.isFinite(number) ? valueReading(number) : { type: "problem", problem: `${field.label}: "${text}" is no number.` }
    }
    case "boolean":
      return draft === true || isRequired || field.initial === true ? valueReading(draft === true) : NOTHING
    case "choice":
    case "json": {
      const text = textDraft(draft)
      if (text.trim() === "") return NOTHING
      try {
        return valueReading(JSON.parse(text) as JsonValue)
      } catch (error) {
        return { type: "problem", problem: `${field.label}: ${(error as Error).message}` }
      }
    }
    case "list": {
      const items = readAll(listDraft(draft).map((item) => readDraft(field.item, item, false)))
      if (isProblem(items)) return items
      const values = items.flatMap((item) => (item.type === "value" ? [item.value] : []))
      return values.length === 0 && !isRequired ? NOTHING : valueReading(values)
    }
    case "group": {
      const drafts = groupDraft(draft)
      const names = field.properties.map(({ name }) => name)
      const readings = readAll(
        field.properties.map((property) => readDraft(property.field, drafts[property.name], property.isRequired)),
      )
      if (isProblem(readings)) return readings
      const values = readings.flatMap((reading, index) => (reading.type === "value" ? [[names[index], reading.value] as const] : []))
      return values.length === 0 && !isRequired ? NOTHING : valueReading(Object.fromEntries(values) as JsonValue)
    }
    default:
      return field satisfies never
  }
}
