import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { envExample } from "@framework/config";
import { readSettings, settingsShape } from "./settings.ts";

test(".env.example has every variable; `npm run env-example` writes it", () => {
  const file = readFileSync(join(import.meta.dirname, "../.env.example"), "utf8");
  assert.equal(file, envExample(settingsShape));
});

test("all problems are reported together", () => {
  assert.throws(
    () => readSettings({ AUTH_SECRET: "short", REQUESTS_PER_MINUTE: "many" }),
    /AUTH_SECRET[\s\S]*REQUESTS_PER_MINUTE/,
  );
});
