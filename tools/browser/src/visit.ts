import type { Fields, Session } from "./devtools.ts";

/** A page in a tab, and what it did while it was open. */
export interface Visit extends AsyncDisposable {
  /** URLs that it asked for, data URLs and those that its policy stopped left out. */
  requested(): readonly string[];
  /** Errors and warnings of its console, uncaught errors, and reports of its policy. */
  readonly complaints: readonly string[];
  /** Goes to another URL, as its address bar does, and resolves when that has loaded. */
  goTo(url: string): Promise<void>;
  /** Reloads the page as its button does; resolves when it has loaded. */
  reload(): Promise<void>;
  /** Runs an expression that makes the page go elsewhere, and resolves when that has loaded. */
  follow(expression: string): Promise<void>;
  /** Runs an expression in the page, and gives its value; of a promise, what it resolves with. */
  evaluate<T>(expression: string): Promise<T>;
  /**
   * Runs a function in the page: it sees nothing from outside but its arguments, which are sent as JSON, as is its result. Large bodies
   * of requests must be a `Blob`: others are told in an event, which the connection to the browser may be too small for.
   */
  run<Args extends readonly unknown[], T>(work: (...args: Args) => T, ...args: Args): Promise<Awaited<T>>;
  /** A picture of the page as PNG. */
  screenshot(): Promise<Uint8Array>;
}

/** What a session's events say about its page. */
export interface Notes {
  readonly requested: Map<string, string>;
  readonly complaints: string[];
}

/** A tab that is still empty. */
export interface Tab {
  readonly session: Session;
  readonly notes: Notes;
  readonly close: () => Promise<void>;
}

/** Opens a URL in a tab; resolves when the page has loaded. */
export const startVisit = async ({ session, notes, close }: Tab, url: string): Promise<Visit> => {
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await session.call(`${domain}.enable`);
  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await session.call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  };
  const loaded = async (leave: Promise<unknown>): Promise<void> => {
    await Promise.all([session.next("Page.loadEventFired"), leave]);
  };
  const goTo = (target: string): Promise<void> => loaded(navigate(session, target));
  await goTo(url);
  return {
    requested: () => [...notes.requested.values()],
    complaints: notes.complaints,
    goTo,
    reload: () => loaded(session.call("Page.reload")),
    follow: (expression) => loaded(evaluate(`void (${expression})`)),
    evaluate,
    run: (work, ...args) => evaluate(`(${String(work)})(...${JSON.stringify(args)})`),
    [Symbol.asyncDispose]: close,
    async screenshot() {
      const { data } = await session.call("Page.captureScreenshot", { format: "png" });
      return Buffer.from(String(data), "base64");
    },
  };
};

const navigate = async (session: Session, url: string): Promise<void> => {
  const { errorText } = (await session.call("Page.navigate", { url })) as { errorText?: string };
  if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
};

/** Takes down what an event says about the page. */
export const noteEvent = ({ requested, complaints }: Notes, event: string, fields: Fields): void => {
  if (event === "Network.requestWillBeSent") {
    const { url } = fields["request"] as { url: string };
    if (!url.startsWith("data:")) requested.set(String(fields["requestId"]), url);
  } else if (event === "Network.loadingFailed") {
    if (fields["blockedReason"] === "csp") requested.delete(String(fields["requestId"]));
  } else if (event === "Runtime.exceptionThrown" || event === "Log.entryAdded") {
    complaints.push(JSON.stringify(fields));
  } else if (event === "Runtime.consoleAPICalled" && /error|warning|assert/.test(String(fields["type"]))) {
    complaints.push(JSON.stringify(fields["args"]));
  }
};
