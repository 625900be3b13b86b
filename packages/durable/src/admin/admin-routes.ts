import {
  HttpError,
  type HttpRequest,
  type InferOutput,
  NotFoundError,
  type RouteOptions,
  type StandardSchema,
} from "@framework/core";
import type { ExemptOption, Host, HostHttp } from "@framework/core/feature";
import { parkedStates } from "../parked/parked-item.ts";
import type { ParkedFilter, ParkedWork } from "../parked/parked-work.ts";
import { workStates } from "../work/table/work-state.ts";
import { type WorkFilter, workOrders, type WorkQueue } from "../work/work-queue.ts";
import { type AdminConfig, adminPath } from "../admin-config.ts";
import { objectSchema, replySchema } from "./admin-schema.ts";

/** At most 15 digits, so that the number is a safe integer. */
const id = { type: "string", pattern: "^[1-9][0-9]{0,14}$" } as const;
const name = { type: "string", minLength: 1, maxLength: 400 } as const;
const page = { after: id, limit: { type: "integer", minimum: 1, maximum: 1000 } } as const;
const ids = { type: "array", items: id, minItems: 1, maxItems: 1000 } as const;
const ofParked = { source: name, name, key: name } as const;

const parkedQuery = objectSchema({ ...ofParked, ...page, state: { type: "string", enum: parkedStates } });
const itemsQuery = objectSchema({
  ...page,
  key: name,
  state: { type: "string", enum: workStates },
  order: { type: "string", enum: workOrders },
});
const replayBody = objectSchema({
  ...ofParked,
  ids,
  limit: page.limit,
  perSecond: { type: "integer", minimum: 1, maximum: 10_000 },
});
const note = { type: "string", minLength: 1, maxLength: 2000, pattern: "\\S" } as const;
const discardBody = objectSchema({ ids, note }, ["ids", "note"]);
const params = objectSchema({ id }, ["id"]);
const queueParams = objectSchema({ queue: name }, ["queue"]);
const itemParams = objectSchema({ queue: name, id }, ["queue", "id"]);
const anything = replySchema({ type: "object" });

/** The work that the routes show and change. */
export interface AdminWork {
  readonly parked: ParkedWork;
  queues(): readonly WorkQueue<unknown>[];
}

/** Adds the HTTP API for operators: parked work, queues and their items. */
export const adminRoutes = ({ http }: Pick<Host, "http">, config: AdminConfig, work: AdminWork): void => {
  const path = adminPath(config);
  const common: RouteOptions & ExemptOption = {
    guards: config.guards,
    exempt: ["guards"],
    tags: ["durable"],
    responses: { 200: anything },
  };
  parkedRoutes(http, path, common, work);
  const queueOf = (given: string | undefined): WorkQueue<unknown> => {
    const queue = work.queues().find((each) => each.name === given);
    if (queue === undefined) throw new NotFoundError("There is no such queue in this process");
    return queue;
  };
  const statistics = async (): Promise<object> => {
    const counted = work.queues().map(async (queue) => [queue.name, await queue.stats()] as const);
    return Object.fromEntries(await Promise.all(counted));
  };
  const items = `${path}/queues/{queue}/items`;
  http.route("GET", `${path}/queues`, statistics, { ...common, summary: "Counts the items of the queues" });
  http.route(
    "GET",
    items,
    ({ input }) =>
      queueOf(as(queueParams, input.params).queue).list(as(itemsQuery, input.query) as WorkFilter),
    { ...common, summary: "Lists items of a queue", params: queueParams, query: itemsQuery, errors: [404] },
  );
  const ofItem = (method: "GET" | "POST", end: string, summary: string, act: ItemAct): void => {
    const handler = async ({ input }: HttpRequest): Promise<unknown> => {
      const { queue, id: itemId = "" } = as(itemParams, input.params);
      return await act(queueOf(queue), itemId);
    };
    http.route(method, `${items}/{id}${end}`, handler, {
      ...common,
      summary,
      params: itemParams,
      errors: [404],
    });
  };
  ofItem("GET", "", "Shows an item", async (queue, itemId) => orNotFound(await queue.get(itemId)));
  ofItem("POST", "/cancel", "Cancels an unfinished item", async (queue, itemId) => ({
    cancelled: await requireItem(queue, itemId, await queue.cancel(itemId)),
  }));
  ofItem("POST", "/retry", "Restarts a failed or cancelled item", async (queue, itemId) => ({
    retried: await requireItem(queue, itemId, await queue.retry(itemId)),
  }));
};

/** Returns `isDone`. @throws HttpError 404 when nothing was done because the item does not exist */
const requireItem = async (queue: WorkQueue<unknown>, id: string, isDone: boolean): Promise<boolean> => {
  if (!isDone) orNotFound(await queue.get(id));
  return isDone;
};

type ItemAct = (queue: WorkQueue<unknown>, id: string) => Promise<unknown>;

const parkedRoutes = (
  http: HostHttp,
  path: string,
  common: RouteOptions & ExemptOption,
  { parked }: AdminWork,
): void => {
  http.route(
    "GET",
    `${path}/parked`,
    ({ input }) => parked.list(as(parkedQuery, input.query) as ParkedFilter),
    {
      ...common,
      summary: "Lists parked work, oldest first",
      query: parkedQuery,
    },
  );
  http.route(
    "GET",
    `${path}/parked/{id}`,
    async ({ input }) => orNotFound(await parked.inspect(as(params, input.params).id ?? "")),
    {
      ...common,
      summary: "Shows parked work with its payload and stack",
      params,
      errors: [404],
    },
  );
  const replay = async ({ input, signal }: HttpRequest): Promise<object> => {
    const { ids: given, limit, perSecond, ...filter } = as(replayBody, input.body);
    if (given === undefined && filter.source === undefined) throw new HttpError(400, "Give ids, or a source");
    const [field] = given === undefined ? [] : Object.keys(filter);
    if (field !== undefined)
      throw new HttpError(400, `Give ids or a filter, not both: remove ids or ${field}`);
    return await parked.replay(given ?? filter, { limit, perSecond, signal });
  };
  http.route("POST", `${path}/parked/replay`, replay, {
    ...common,
    summary: "Replays parked work: the items in `ids`, or the items of a source",
    errors: [400],
    body: replayBody,
  });
  const discard = async ({ input }: HttpRequest): Promise<object> => {
    const { ids: given = [], note = "" } = as(discardBody, input.body);
    return { discarded: await parked.discard(given, { note }) };
  };
  http.route("POST", `${path}/parked/discard`, discard, {
    ...common,
    summary: "Discards parked work, with a note that gives the reason",
    body: discardBody,
  });
};

/** Casts a value that the route's schema has validated. */
const as = <S extends StandardSchema>(_schema: S, value: unknown): InferOutput<S> => value as InferOutput<S>;

const orNotFound = <T>(value: T | null): T => {
  if (value === null) throw new NotFoundError("There is no such item");
  return value;
};
