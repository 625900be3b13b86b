export { killWarmProcesses, type Killed, type KillOptions } from "./kill-warm-processes.ts";
export { hasBegun, untilGo } from "./until-go.ts";
