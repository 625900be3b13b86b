import { once } from "node:events";

/** Fields of a call or of an event. */
export type Fields = Readonly<Record<string, unknown>>;

/** One tab's end of the connection. */
export interface Session {
  call(method: string, params?: object): Promise<Fields>;
  /** Resolves with the fields of the next event of that name; rejects when the connection ends. */
  next(event: string): Promise<Fields>;
}

/** A connection to the browser, over which each tab has a session. */
export interface Devtools {
  readonly browser: Session;
  session(id: string, onEvent: (event: string, fields: Fields) => void): Session;
}

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly message: string };
}

type Reply = PromiseWithResolvers<Fields>;

/** Speaks the DevTools protocol (chromedevtools.github.io/devtools-protocol) over one WebSocket. */
export const connectDevtools = async (url: string): Promise<Devtools> => {
  const socket = new WebSocket(url);
  await once(socket, "open");
  const replies = new Map<number, Reply>();
  const events = new Map<string, Reply>();
  const listeners = new Map<string, (event: string, fields: Fields) => void>();

  const settle = ({ id = 0, error, result = {} }: Message): void => {
    const reply = replies.get(id);
    replies.delete(id);
    if (error === undefined) reply?.resolve(result);
    else reply?.reject(new Error(error.message));
  };
  const announce = ({ sessionId = "", method = "", params = {} }: Message): void => {
    listeners.get(sessionId)?.(method, params);
    const name = `${sessionId} ${method}`;
    events.get(name)?.resolve(params);
    events.delete(name);
  };
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id === undefined) announce(message);
    else settle(message);
  });
  socket.addEventListener("close", () => {
    for (const { reject } of [...replies.values(), ...events.values()]) reject(gone());
  });

  let calls = 0;
  const sessionOf = (sessionId?: string): Session => ({
    call(method, params = {}) {
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(gone());
      const id = ++calls;
      const reply = Promise.withResolvers<Fields>();
      replies.set(id, reply);
      socket.send(JSON.stringify({ id, method, params, sessionId }));
      return reply.promise;
    },
    next(event) {
      const name = `${sessionId ?? ""} ${event}`;
      const waited = events.get(name) ?? Promise.withResolvers<Fields>();
      events.set(name, waited);
      return waited.promise;
    },
  });
  return {
    browser: sessionOf(),
    session(id, onEvent) {
      listeners.set(id, onEvent);
      return sessionOf(id);
    },
  };
};

const gone = (): Error => new Error("The connection to Chromium has ended");
