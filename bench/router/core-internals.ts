/** Internal parts of core, to measure them separately. */
// oxlint-disable no-restricted-imports -- measures internals
export { parseJson } from "../../packages/core/src/body/json-body.ts";
export { Query } from "../../packages/core/src/request/query.ts";
export { canonicalise } from "../../packages/core/src/routing/canonical-path.ts";
export { Router } from "../../packages/core/src/routing/router.ts";
export { CachedHead } from "../../packages/core/src/transport/fast/fast-cached-head.ts";
export { ReplyHeads } from "../../packages/core/src/transport/fast/reply-heads.ts";
export { headEnd } from "../../packages/core/src/transport/wire/head-end.ts";
export { shortLength } from "../../packages/core/src/transport/wire/memory-payload.ts";
export { emptyFastHead } from "../../packages/core/src/transport/fast/fast-head.ts";
export { readFastHead } from "../../packages/core/src/transport/fast/fast-request-head.ts";
export { validate } from "../../packages/core/src/validation/validate.ts";
