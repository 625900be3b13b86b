import type { AppSettings } from "../lifecycle/app-settings.ts";
import { type InspectJson, jsonInspector } from "../response/json/json-inspector.ts";
import { type Response, takeSource } from "../response/response.ts";

/**
 * Creates a function that checks JSON replies and streamed events for values that JSON loses.
 *
 * @param place origin of the reply in messages, such as `GET /books`
 */
export const inspectReply = (
  place: string,
  settings: Pick<AppSettings, "debug" | "log">,
): ((reply: Response) => Response) => {
  const inspect = jsonInspector(`a JSON reply of ${place}`, settings);
  const inspectEvent = jsonInspector(`an event of ${place}`, settings);
  return (reply) => {
    const source = takeSource(reply);
    if (typeof source === "object") inspect(source);
    else if (typeof source === "function") (source as (inspect: InspectJson) => void)(inspectEvent);
    return reply;
  };
};
