import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { envExample } from "@framework/config";
import { settingsShape } from "./settings.ts";

writeFileSync(join(import.meta.dirname, "../.env.example"), envExample(settingsShape));
