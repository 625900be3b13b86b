export { killWarmProcesses, type Killed, type KillOptions } from "./kill-warm-processes.ts";
export { untilGo } from "./until-go.ts";
