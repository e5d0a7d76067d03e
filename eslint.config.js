import js from "@eslint/js"
import { defineConfig, globalIgnores } from "eslint/config"
import reactHooks from "eslint-plugin-react-hooks"
import tseslint from "typescript-eslint"

const TESTS = ["**/*.test.{ts,tsx}", "**/*.test-d.{ts,tsx}", "test/**/*.{ts,tsx}"]
/** No project of this repository's: JavaScript, and the example that has its own dependencies and is type-checked by Next's build. */
const UNTYPED = ["**/*.{js,mjs}", "examples/next/**", "bench/peers/**"]

/** @param {string[]} rules */
const off = (rules) => Object.fromEntries(rules.map((rule) => [rule, /** @type {const} */ ("off")]))

// Which folder of src may import which other is checked by test/node/imports.test.ts.
export default defineConfig(
  globalIgnores(["**/dist", "**/node_modules", "**/coverage", "**/.next", ".cache", "storybook-static", "docs/reference"]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-undef": "off", // TypeScript knows better
      "object-shorthand": "error",
      "prefer-template": "error",
      "@typescript-eslint/consistent-type-exports": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-import-type-side-effects": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/prefer-promise-reject-errors": ["error", { allowThrowingUnknown: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/unbound-method": "off", // takes every method of an interface for one that uses `this`
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    // A library says what is wrong by its errors; what it must print is a warning or an error.
    files: ["src/**"],
    rules: { "no-console": ["error", { allow: ["warn", "error"] }] },
  },
  { files: ["**/*.{ts,tsx}"], ...reactHooks.configs.flat["recommended-latest"] },
  {
    // Tests break rules on purpose: they throw odd things, read private shapes and count renders.
    files: TESTS,
    rules: {
      ...off(Object.keys(reactHooks.configs.flat["recommended-latest"].rules)),
      "react-hooks/rules-of-hooks": "error",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/only-throw-error": "off",
      "@typescript-eslint/prefer-promise-reject-errors": "off",
      "@typescript-eslint/require-await": "off",
    },
  },
  { files: UNTYPED, extends: [tseslint.configs.disableTypeChecked] },
)
