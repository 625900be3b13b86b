import { clientCommand } from "./client/client-command.ts";
import { completionCommand } from "./completion/completion-command.ts";
import { devCommand } from "./dev/dev-command.ts";
import { doctorCommand } from "./doctor/doctor-command.ts";
import { drainCommand } from "./drain/drain-command.ts";
import { explainCommand } from "./explain/explain-command.ts";
import type { Command } from "./frame/command.ts";
import { loadCommand } from "./load/load-command.ts";
import { migrateCommand } from "./migrate/migrate-command.ts";
import { newCommand } from "./new/new-command.ts";
import { jobsCommand } from "./operate/jobs-command.ts";
import { parkedCommand } from "./operate/parked-command.ts";
import { projectionsCommand } from "./operate/projections-command.ts";
import { topologyCommand } from "./topology/topology-command.ts";
import { sagasCommand } from "./operate/sagas-command.ts";
import { requestCommand } from "./request/request-command.ts";
import { routesCommand } from "./routes/routes-command.ts";
import { upgradeCommand } from "./upgrade/upgrade-command.ts";

/** Every command, in the order of the help text. */
export const commands: readonly Command[] = [
  newCommand,
  devCommand,
  routesCommand,
  requestCommand,
  explainCommand,
  doctorCommand,
  clientCommand,
  loadCommand,
  drainCommand,
  migrateCommand,
  topologyCommand,
  parkedCommand,
  jobsCommand,
  sagasCommand,
  projectionsCommand,
  upgradeCommand,
  completionCommand,
];
