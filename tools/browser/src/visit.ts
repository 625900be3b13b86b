import type { ConsoleMessage, HTTPRequest, KeyInput, Page } from "puppeteer-core";

/** A page in a tab, with a record of its requests and problems. */
export interface Visit extends AsyncDisposable {
  /** URLs that the page requested, except data URLs and requests that its content security policy blocked. */
  requested(): readonly string[];
  /** Errors and warnings of the console, uncaught errors, and policy violations. */
  readonly problems: readonly string[];
  /** Navigates to another URL, like the address bar; resolves when the page has loaded. */
  goTo(url: string): Promise<void>;
  /** Reloads the page, like the reload button; resolves when it has loaded. */
  reload(): Promise<void>;
  /** Evaluates an expression that navigates; resolves when the next page has loaded. */
  follow(expression: string): Promise<void>;
  /** Evaluates an expression in the page; a promise is awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** Runs a function in the page. It has access only to its arguments; arguments and result are sent as JSON. */
  run<Args extends readonly unknown[], T>(work: (...args: Args) => T, ...args: Args): Promise<Awaited<T>>;
  /** Presses a key, such as `Tab`, `ArrowDown` or `/`. */
  press(key: string): Promise<void>;
  /** Types a text into the focused field. */
  type(text: string): Promise<void>;
  /** Takes a screenshot of the page as PNG. */
  screenshot(): Promise<Uint8Array>;
}

/** Opens a URL in an empty tab; resolves when the page has loaded. */
export const startVisit = async (page: Page, url: string, close: () => Promise<void>): Promise<Visit> => {
  const requested = recordRequests(page);
  const problems = recordProblems(page);
  let closed: Promise<void> | undefined;
  const evaluate = <T>(expression: string): Promise<T> => page.evaluate(expression) as Promise<T>; // the caller determines the type
  await page.goto(url);
  return {
    requested: () => Array.from(requested, (request) => request.url()),
    problems,
    goTo: async (target) => void (await page.goto(target)),
    reload: async () => void (await page.reload()),
    follow: async (expression) =>
      void (await Promise.all([page.waitForNavigation(), evaluate(`void (${expression})`)])),
    evaluate,
    run: (work, ...args) => evaluate(`(${String(work)})(...${JSON.stringify(args)})`),
    press: (key) => page.keyboard.press(key as KeyInput),
    type: (text) => page.keyboard.type(text),
    screenshot: () => page.screenshot({ type: "png" }),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
};

const recordRequests = (page: Page): ReadonlySet<HTTPRequest> => {
  const requested = new Set<HTTPRequest>();
  page.on("request", (request) => {
    for (const redirected of request.redirectChain()) requested.delete(redirected);
    if (!request.url().startsWith("data:")) requested.add(request);
  });
  page.on("requestfailed", (request) => {
    if (isBlockedByPolicy(request)) requested.delete(request);
  });
  return requested;
};

const isBlockedByPolicy = (request: HTTPRequest): boolean => /csp/i.test(request.failure()?.errorText ?? "");

const recordProblems = (page: Page): readonly string[] => {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (isProblem(message)) problems.push(message.text());
  });
  return problems;
};

/** Whether a console message is a problem. Violations of a report-only policy have the level "info". */
const isProblem = (message: ConsoleMessage): boolean =>
  ["error", "warn", "assert"].includes(message.type()) || message.text().includes("Content Security Policy");
