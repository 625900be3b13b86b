import { stripTypeScriptTypes } from "node:module";

export default { process: (code) => ({ code: stripTypeScriptTypes(code) }) };
