/** An app in development with five middlewares: `--tools` enables the dev page, `--link` is the file for its link, `--per-second` its limit of records. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { App } from "@framework/core";
import { devtools } from "./devtools-package.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { greeting } from "./workload.ts";

const { values } = parseArgs({
  options: {
    tools: { type: "boolean", default: false },
    link: { type: "string" },
    "per-second": { type: "string", default: "50" },
  },
});
const withTools = new (App.with(devtools))();
if (values.tools) withTools.enableDevtools({ maxPerSecond: Number(values["per-second"]) });
for (let count = 0; count < 5; count++) withTools.use((input, next) => next(input));
withTools.get("/json", () => greeting());
await serveProcessMetrics();
await withTools.run({ env: "development", debug: true, workers: 1, argv: [], logs: false });
if (values.link !== undefined) writeFileSync(values.link, withTools.devtoolsUrl ?? "");
