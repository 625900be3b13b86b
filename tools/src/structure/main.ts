import { root } from "../root.ts";
import { checkStructure } from "./check-structure.ts";
import { knownImports } from "./known-imports.ts";

const { modules, problems } = await checkStructure(process.argv[2] ?? root, knownImports);
for (const problem of problems) console.error(problem);
console.log(`${modules} modules, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
