import { startProgram } from "./start-program.ts";

/** A test run that starts a program, prints its process id and never stops it. */
const program = await startProgram(new URL("./unusual.test-program.ts", import.meta.url), {
  args: ["plain"],
});
console.log(JSON.stringify({ child: program.pid }));
if (process.argv[2] === "stays") setInterval(() => {}, 1000);
