import { writeFileSync } from "node:fs";
import { renderTable } from "./render-table.ts";

writeFileSync(new URL("../../RFC9112.md", import.meta.url), renderTable());
