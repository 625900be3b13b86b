import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { connect } from "amqplib";
import { erlangModules } from "./erlang-modules.ts";
import { startFragileServer } from "./fragile-server.ts";
import { freePort } from "./free-port.ts";
import { needProgram } from "./programs.ts";
import type { FragileServer } from "./running-server.ts";
import { ServerFolder, userWhenRoot } from "./server-folder.ts";
import { ServerProcess } from "./server-process.ts";
import { checkPort } from "./check-port.ts";

/** A RabbitMQ server that can also be administered. */
export interface RabbitMqServer extends FragileServer {
  /** Evaluates an Erlang expression inside the server, and returns its value as text. Faster than `rabbitmqctl`, which starts a virtual machine for each command. @throws when it fails */
  evaluate(expression: string): Promise<string>;
}

/** Starts a separate RabbitMQ server on loopback, with the user `guest` and its own port mapper, so that no process outlives it. */
export const startRabbitMq = async (): Promise<RabbitMqServer> => {
  const program = needProgram("rabbitmq-server");
  const user = userWhenRoot("rabbitmq"); // the system's wrapper would change to it and drop the environment
  const modules = await erlangModules(program);
  const folder = new ServerFolder("rabbitmq", user);
  const [port, dist, mapper] = [await freePort(), await freePort(), await freePort()];
  const epmd = await startPortMapper(folder, user, mapper);
  const env = {
    HOME: folder.path,
    ERL_EPMD_PORT: String(mapper),
    RABBITMQ_NODENAME: `framework-${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(dist),
    RABBITMQ_MNESIA_BASE: folder.at("mnesia"),
    RABBITMQ_LOG_BASE: folder.at("logs"),
    RABBITMQ_ENABLED_PLUGINS_FILE: folder.at("enabled_plugins"),
    RABBITMQ_PID_FILE: folder.at("pid"),
    RABBITMQ_CONF_ENV_FILE: folder.at("rabbitmq-env.conf"),
    RABBITMQ_CONFIG_FILE: folder.at("rabbitmq"),
    RABBITMQ_SERVER_CODE_PATH: modules,
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "+S 1:1 +SDio 1", // one core: schedulers that steal work from each other take a sixth of its processor time
  };
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  try {
    const process = new ServerProcess({ program, args: [], folder, user, env });
    const server = await startFragileServer({
      name: "RabbitMQ",
      url,
      folder,
      process,
      check: () => checkRabbitMq(url),
    });
    const evaluate = async (expression: string): Promise<string> => {
      const options = { cwd: folder.path, env: { ...globalThis.process.env, ...env }, ...user };
      const call = spawn(needProgram("erl_call"), ["-sname", env.RABBITMQ_NODENAME, "-e"], options);
      call.stdin.end(`${expression}.\n`);
      const [out, problem] = await Promise.all([text(call.stdout), text(call.stderr), once(call, "close")]);
      const value = /^\{ok, (.*)\}$/s.exec(out.trim())?.[1];
      if (value === undefined) throw new Error(`RabbitMQ could not evaluate ${expression}: ${out}${problem}`);
      return value;
    };
    return withPortMapper(server, epmd, evaluate);
  } catch (cause) {
    await epmd.kill();
    throw cause;
  }
};

const startPortMapper = async (
  folder: ServerFolder,
  user: ReturnType<typeof userWhenRoot>,
  port: number,
): Promise<ServerProcess> => {
  const epmd = new ServerProcess({
    program: needProgram("epmd"),
    args: ["-port", String(port), "-address", "127.0.0.1"],
    folder,
    user,
  });
  epmd.start();
  await checkPort(port);
  return epmd;
};

const withPortMapper = (
  server: FragileServer,
  epmd: ServerProcess,
  evaluate: RabbitMqServer["evaluate"],
): RabbitMqServer => {
  const stop = async (): Promise<void> => {
    await server.stop();
    await epmd.kill();
  };
  return {
    url: server.url,
    kill: () => server.kill(),
    start: () => server.start(),
    shutdown: () => server.shutdown(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    evaluate,
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

/** Does a full AMQP handshake, because the port opens seconds before the server accepts one. */
export const checkRabbitMq = async (url: string): Promise<void> => {
  const connection = await connect(url, { timeout: 5000 });
  connection.on("error", () => {}); // the failed call has the error
  await connection.close();
};
