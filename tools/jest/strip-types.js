import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

const own = process.version + readFileSync(import.meta.filename, "utf8");

/** A stripped source depends on its text alone, so a module of core is stripped once for the tests of all packages. */
export default {
  process: (code) => ({ code: stripTypeScriptTypes(code) }),
  getCacheKey: (code) => createHash("sha256").update(own).update(code).digest("hex"),
};
