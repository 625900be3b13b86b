import { root } from "../root.ts";
import { checkDocs } from "./check-docs.ts";

const { documents, blocks, problems } = checkDocs(root);
for (const problem of problems) console.error(problem);
console.log(`${blocks} blocks in ${documents.length} documents, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
