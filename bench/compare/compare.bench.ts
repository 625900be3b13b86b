/**
 * The public comparison of the framework on both transports with hand-written `node:http` and other frameworks, all doing the same work. See the README.
 *
 *   pnpm bench [--quick] [--only json,param] [--servers raw,fast] [--rounds N] [--write]
 */
import { readOptions, usage } from "./options.ts";
import { runComparison } from "./run.ts";
import { printReport, saveReport } from "./save.ts";

const options = readOptions(process.argv.slice(2));
if (options === null) console.log(usage);
else {
  const report = await runComparison(options, ["pnpm bench", ...process.argv.slice(2)].join(" "));
  printReport(report);
  saveReport(report, options);
}
