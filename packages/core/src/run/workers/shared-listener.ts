import * as net from "node:net";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import type { RegisteredListener } from "../../lifecycle/listener.ts";
import { systemClock } from "../../runtime/clock.ts";
import { hasFreeDescriptor } from "../start/descriptors.ts";
import type { PortTransport } from "../start/feature-ports.ts";
import type { Service } from "../start/service.ts";
import { toListenError } from "../start/start-error.ts";
import { MAX_QUEUE, nextTurn } from "../stop/shutdown.ts";
import { type ConnectionCounts, FIRST_DESCRIPTOR, type Load, type WorkerBrief } from "./messages.ts";
import { Share } from "./share.ts";

/** Whether this Node can bind a port for other processes, and pause a listener. */
export const canShareListener = (): boolean =>
  (net.BoundSocket as unknown) !== undefined && process.platform !== "win32" && isTransferable();

/** A worker's end of a listening socket that all workers share: the first worker to accept a connection gets it. */
export class SharedListener {
  /** Name of a feature's listener; `undefined` for the service's own. */
  readonly name: string | undefined;
  private readonly transport: PortTransport;
  private accepted = 0;
  /** `null` when this is the only worker. */
  private share: Share | null = null;
  /** `null` while paused. */
  private server: net.Server | null = null;
  /** Holds the server while paused: a transferred server keeps its socket open, unread, until it is received. */
  private readonly parked = new MessageChannel();

  constructor(server: net.Server, transport: PortTransport, name: string | undefined) {
    this.name = name;
    this.transport = transport;
    this.open(server);
  }

  /** Leaves connections to other workers while this one has more than its share; `report` sends its load to the primary. */
  balance(report: (load: Load) => void): void {
    const { transport } = this;
    this.share = new Share({
      connections: () => transport.connections,
      pause: () => this.pause(),
      resume: () => this.resume(),
      shed: (count) => transport.shed(count),
      report,
      afterTurn: setImmediate,
      clock: systemClock,
    });
  }

  /** Updates the mean load of all workers, which the primary announces. */
  updateMeans(means: ConnectionCounts): void {
    this.share?.updateMeans(means);
  }

  /**
   * Accepts the queued connections, then stops: when the last worker closes, the system resets the connections in the queue. Clients that continue to connect
   * cannot delay the stop, which waits for at most one full queue.
   */
  async close(): Promise<void> {
    this.share?.close();
    this.share = null;
    this.resume();
    await nextTurn();
    // Node accepts one connection in each turn of the event loop.
    for (let turn = 0, accepted = -1; turn < MAX_QUEUE && this.accepted > accepted; turn++) {
      ({ accepted } = this);
      await nextTurn();
    }
    this.server?.close();
    this.parked.port1.close();
  }

  private pause(): void {
    const { server } = this;
    if (server === null || !hasFreeDescriptor()) return; // the transfer needs a descriptor: the server keeps accepting until a later pause succeeds
    this.server = null;
    this.parked.port1.postMessage(server, [server as unknown as MessagePort]);
  }

  private resume(): void {
    if (this.server !== null) return;
    const received = receiveMessageOnPort(this.parked.port2) as { readonly message: net.Server } | undefined;
    if (received !== undefined) this.open(received.message); // without a descriptor Node drops the message, and the socket keeps accepting
  }

  private open(server: net.Server): void {
    this.server = server;
    server.on("error", () => {}); // a failed accept, for example without a free descriptor, affects only that connection
    server.on("connection", (socket) => {
      this.accepted++;
      this.transport.accept(socket);
      this.share?.accepted();
    });
  }
}

/** Accepts on every port that the primary has bound, but not on ports that are new in a reloaded program. @throws CORE_PORT_IN_USE and other listen errors */
export const listenShared = async (
  { main, ports }: Service,
  brief: WorkerBrief,
): Promise<readonly SharedListener[]> => {
  const opened = [await listen(FIRST_DESCRIPTOR, main, brief)];
  for (const { listener, transport } of ports) {
    const index = brief.listeners.findIndex(({ name }) => name === listener.options.name);
    const address = brief.listeners[index];
    if (address === undefined) continue;
    opened.push(await listen(FIRST_DESCRIPTOR + 1 + index, transport, address, listener));
  }
  return opened;
};

const listen = (
  fd: number,
  transport: PortTransport,
  { host, port }: { readonly host: string; readonly port: number },
  owner?: RegisteredListener,
): Promise<SharedListener> =>
  new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(toListenError(error, host, port, owner));
    const server = net.createServer();
    server.once("error", fail);
    server.listen({ fd }, () => {
      server.off("error", fail);
      resolve(new SharedListener(server, transport, owner?.options.name));
    });
  });

/** Whether a server can be transferred to another thread. Node before 26.6 rejects every server; newer versions reject only a server that does not listen. */
const isTransferable = (): boolean => {
  const { port1 } = new MessageChannel();
  const server = net.createServer() as unknown as MessagePort;
  try {
    port1.postMessage(server, [server]);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_WORKER_HANDLE_NOT_TRANSFERABLE";
  } finally {
    port1.close();
  }
};
