import { plainType } from "@framework/core/http";
import { isJson, type Json } from "./json-object.ts";

/** Whether bodies of a plain media type are JSON. */
export const isJsonType = (type: string): boolean => /^application\/(?:[\w.+-]+\+)?json$/.test(type);

/** Returns the documented content for a plain media type: of the type itself, else of its range, else of any type (OpenAPI 3.1 4.8.14); `null` if there is none. */
export const contentFor = (content: Json, type: string): Json | null => {
  const range = `${type.split("/", 1)[0]}/*`;
  for (const wanted of [type, range, "*/*"])
    for (const [documented, media] of Object.entries(content))
      if (plainType(documented) === wanted) return isJson(media) ? media : {};
  return null;
};
