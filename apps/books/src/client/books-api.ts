// Written by framework-client from Books 1.0.0. Do not edit: run it again.
import { type ApiSpec, type ClientLifecycle, type ClientOptions, createApiClient, type Operation } from "@framework/client";

/** Named types of the API. */
export interface Schemas {
  Error: { error: string; detail?: string; status?: number; errors?: { loc: (string | number)[]; msg: string; type: string; expected?: string; received?: string }[]; retry_after?: number };
}

/** Operations of the API: the input of each, and its replies by status. */
export interface Api {
  /** GET /books: List books */
  readonly getBooks: Operation<{ query?: { genre?: string; after?: string; limit?: string }; headers?: { "X-Request-ID"?: string } }, { 200: { books: { id: number; title: string; author: string; genre: string; year: number | null }[]; total: number }; 304: undefined; 400: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 416: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; 504: Schemas["Error"] }>;
  /** POST /books: Add a book */
  readonly postBooks: Operation<{ headers?: { "X-Request-ID"?: string; "X-CSRF-Token"?: string }; body: { title: string; author?: string; genre?: string; year?: number | null } }, { 201: { id: number; title: string; author: string; genre: string; year: number | null }; 400: { error: string; id?: number } | Schemas["Error"]; 401: Schemas["Error"]; 403: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 413: Schemas["Error"]; 415: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"] }>;
  /** GET /books/{id}: Get a book */
  readonly getBooksId: Operation<{ params: { id: string }; headers?: { "X-Request-ID"?: string } }, { 200: { id: number; title: string; author: string; genre: string; year: number | null }; 304: undefined; 400: Schemas["Error"]; 404: { error: string; id?: number }; 406: Schemas["Error"]; 409: Schemas["Error"]; 416: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; 504: Schemas["Error"] }>;
  /** PUT /books/{id}: Change a book */
  readonly putBooksId: Operation<{ params: { id: string }; headers?: { "X-Request-ID"?: string; "X-CSRF-Token"?: string }; body: { title?: string; author?: string; genre?: string; year?: number | null } }, { 200: { id: number; title: string; author: string; genre: string; year: number | null }; 400: Schemas["Error"]; 401: Schemas["Error"]; 403: Schemas["Error"]; 404: { error: string; id?: number }; 406: Schemas["Error"]; 409: Schemas["Error"]; 413: Schemas["Error"]; 415: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"] }>;
  /** DELETE /books/{id}: Delete a book */
  readonly deleteBooksId: Operation<{ params: { id: string }; headers?: { "X-Request-ID"?: string; "X-CSRF-Token"?: string } }, { 200: { deleted: true; id: number }; 400: Schemas["Error"]; 401: Schemas["Error"]; 403: Schemas["Error"]; 404: { error: string; id?: number }; 406: Schemas["Error"]; 409: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"] }>;
  /** POST /books/{id}/loan: Borrow a book */
  readonly borrowBook: Operation<{ params: { id: string }; headers?: { "Idempotency-Key"?: string; "X-Request-ID"?: string; "X-CSRF-Token"?: string }; body: { member: string } }, { 201: { book: number; member: string; dueAt: string }; 400: Schemas["Error"]; 401: Schemas["Error"]; 403: Schemas["Error"]; 404: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 413: Schemas["Error"]; 415: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; 504: Schemas["Error"] }>;
  /** DELETE /books/{id}/loan: Return a book */
  readonly returnBook: Operation<{ params: { id: string }; headers?: { "Idempotency-Key"?: string; "X-Request-ID"?: string; "X-CSRF-Token"?: string } }, { 204: undefined; 400: Schemas["Error"]; 401: Schemas["Error"]; 403: Schemas["Error"]; 404: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; 504: Schemas["Error"]; "2XX": unknown }>;
  /** PUT /books/{id}/stock: Set the number of copies for sale */
  readonly putBooksIdStock: Operation<{ params: { id: string }; headers?: { "X-Request-ID"?: string; "X-CSRF-Token"?: string }; body: { copies: number } }, { 400: Schemas["Error"]; 401: Schemas["Error"]; 403: Schemas["Error"]; 404: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 413: Schemas["Error"]; 415: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; "2XX": unknown }>;
  /** GET /loans/open: List open loans */
  readonly openLoans: Operation<{ query?: { member?: string; after?: string }; headers?: { "Consistency-Token"?: string; "X-Request-ID"?: string } }, { 200: { loans: { book: number; title: string; member: string; dueAt: string; isReminded: boolean }[] }; 304: undefined; 400: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 416: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; 504: Schemas["Error"] }>;
  /** GET /orders/{id}: Get an order */
  readonly getOrdersId: Operation<{ params: { id: string }; query?: { wait?: string }; headers?: { "X-Request-ID"?: string } }, { 200: { order: number; status: "working" | "packing" | "shipped" | "cancelled" | "attention"; book: number; copies: number; payment?: string; parcel?: string; reason?: string }; 304: undefined; 400: Schemas["Error"]; 404: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"] }>;
  /** PUT /orders/{id}: Order a book */
  readonly putOrdersId: Operation<{ params: { id: string }; headers?: { "X-Request-ID"?: string; "X-CSRF-Token"?: string }; body: { book: number; copies?: number; card: string } }, { 400: Schemas["Error"]; 401: Schemas["Error"]; 403: Schemas["Error"]; 404: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 413: Schemas["Error"]; 415: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; "2XX": unknown }>;
  /** POST /orders/{id}/shipment: Mark an order as shipped */
  readonly postOrdersIdShipment: Operation<{ params: { id: string }; headers?: { "X-Request-ID"?: string; "X-CSRF-Token"?: string }; body: { parcel: string } }, { 400: Schemas["Error"]; 401: Schemas["Error"]; 403: Schemas["Error"]; 404: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 413: Schemas["Error"]; 415: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; "2XX": unknown }>;
  /** GET /search: Find books by a word */
  readonly getSearch: Operation<{ query: { word: string }; headers?: { "X-Request-ID"?: string } }, { 200: { books: { id: number; title: string; author: string; genre: string; year: number | null }[] }; 304: undefined; 400: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"] }>;
  /** GET /session: Get the session */
  readonly getSession: Operation<{ headers?: { "X-Request-ID"?: string } }, { 200: { user: string | null }; 304: undefined; 400: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 416: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; 504: Schemas["Error"] }>;
  /** POST /session: Log in */
  readonly postSession: Operation<{ headers?: { "X-Request-ID"?: string; "X-CSRF-Token"?: string }; body: { user: string; password: string } }, { 200: { user: string | null }; 400: Schemas["Error"]; 401: { error: string; detail: string; status: 401 }; 403: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 413: Schemas["Error"]; 415: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"] }>;
  /** DELETE /session: Log out on this device */
  readonly deleteSession: Operation<{ headers?: { "X-Request-ID"?: string; "X-CSRF-Token"?: string } }, { 400: Schemas["Error"]; 403: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; "2XX": unknown }>;
  /** DELETE /sessions: Log out everywhere */
  readonly deleteSessions: Operation<{ headers?: { "X-Request-ID"?: string; "X-CSRF-Token"?: string } }, { 400: Schemas["Error"]; 401: Schemas["Error"]; 403: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; "2XX": unknown }>;
  /** GET /statistics: Count loans */
  readonly statistics: Operation<{ headers?: { "Consistency-Token"?: string; "X-Request-ID"?: string } }, { 200: { books: { book: number; loans: number }[]; months: { month: string; loans: number }[] }; 304: undefined; 400: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 416: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; 504: Schemas["Error"] }>;
  /** POST /token: Get a token */
  readonly postToken: Operation<{ headers?: { "X-Request-ID"?: string }; body: { user: string; password: string } }, { 200: { token: string }; 400: Schemas["Error"]; 401: { error: string; detail: string; status: 401 }; 406: Schemas["Error"]; 409: Schemas["Error"]; 413: Schemas["Error"]; 415: Schemas["Error"]; 422: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"] }>;
  /** GET /v1/books/{id}: Get a book @deprecated */
  readonly getV1BooksId: Operation<{ params: { id: string }; headers?: { "X-Request-ID"?: string } }, { 200: { id: number; name: string; writer: string }; 304: undefined; 400: Schemas["Error"]; 404: Schemas["Error"]; 406: Schemas["Error"]; 409: Schemas["Error"]; 416: Schemas["Error"]; 429: Schemas["Error"]; 503: Schemas["Error"]; 504: Schemas["Error"] }>;
}

const api: ApiSpec = {
  operations: {
    getBooks: { route: "GET /books", replies: { 200: ["json"], 304: ["none"], 400: ["json"], 406: ["json"], 409: ["json"], 416: ["json"], 422: ["json"], 429: ["json"], 503: ["json"], 504: ["json"] } },
    postBooks: { route: "POST /books", replies: { 201: ["json"], 400: ["json"], 401: ["json"], 403: ["json"], 406: ["json"], 409: ["json"], 413: ["json"], 415: ["json"], 422: ["json"], 429: ["json"], 503: ["json"] }, body: "application/json", security: [["sessionCookie"], ["bearerAuth"]] },
    getBooksId: { route: "GET /books/{id}", replies: { 200: ["json"], 304: ["none"], 400: ["json"], 404: ["json"], 406: ["json"], 409: ["json"], 416: ["json"], 429: ["json"], 503: ["json"], 504: ["json"] } },
    putBooksId: { route: "PUT /books/{id}", replies: { 200: ["json"], 400: ["json"], 401: ["json"], 403: ["json"], 404: ["json"], 406: ["json"], 409: ["json"], 413: ["json"], 415: ["json"], 422: ["json"], 429: ["json"], 503: ["json"] }, body: "application/json", security: [["sessionCookie"], ["bearerAuth"]] },
    deleteBooksId: { route: "DELETE /books/{id}", replies: { 200: ["json"], 400: ["json"], 401: ["json"], 403: ["json"], 404: ["json"], 406: ["json"], 409: ["json"], 429: ["json"], 503: ["json"] }, security: [["sessionCookie"], ["bearerAuth"]] },
    borrowBook: { route: "POST /books/{id}/loan", replies: { 201: ["json"], 400: ["json"], 401: ["json"], 403: ["json"], 404: ["json"], 406: ["json"], 409: ["json"], 413: ["json"], 415: ["json"], 422: ["json"], 429: ["json"], 503: ["json"], 504: ["json"] }, body: "application/json", security: [["sessionCookie"], ["bearerAuth"]] },
    returnBook: { route: "DELETE /books/{id}/loan", replies: { 204: ["none"], 400: ["json"], 401: ["json"], 403: ["json"], 404: ["json"], 406: ["json"], 409: ["json"], 422: ["json"], 429: ["json"], 503: ["json"], 504: ["json"], "2XX": ["json", "text", "bytes", "none"] }, security: [["sessionCookie"], ["bearerAuth"]] },
    putBooksIdStock: { route: "PUT /books/{id}/stock", replies: { 400: ["json"], 401: ["json"], 403: ["json"], 404: ["json"], 406: ["json"], 409: ["json"], 413: ["json"], 415: ["json"], 422: ["json"], 429: ["json"], 503: ["json"], "2XX": ["json", "text", "bytes", "none"] }, body: "application/json", security: [["sessionCookie"], ["bearerAuth"]] },
    openLoans: { route: "GET /loans/open", replies: { 200: ["json"], 304: ["none"], 400: ["json"], 406: ["json"], 409: ["json"], 416: ["json"], 422: ["json"], 429: ["json"], 503: ["json"], 504: ["json"] } },
    getOrdersId: { route: "GET /orders/{id}", replies: { 200: ["json"], 304: ["none"], 400: ["json"], 404: ["json"], 406: ["json"], 409: ["json"], 422: ["json"], 429: ["json"], 503: ["json"] } },
    putOrdersId: { route: "PUT /orders/{id}", replies: { 400: ["json"], 401: ["json"], 403: ["json"], 404: ["json"], 406: ["json"], 409: ["json"], 413: ["json"], 415: ["json"], 422: ["json"], 429: ["json"], 503: ["json"], "2XX": ["json", "text", "bytes", "none"] }, body: "application/json", security: [["sessionCookie"], ["bearerAuth"]] },
    postOrdersIdShipment: { route: "POST /orders/{id}/shipment", replies: { 400: ["json"], 401: ["json"], 403: ["json"], 404: ["json"], 406: ["json"], 409: ["json"], 413: ["json"], 415: ["json"], 422: ["json"], 429: ["json"], 503: ["json"], "2XX": ["json", "text", "bytes", "none"] }, body: "application/json", security: [["sessionCookie"], ["bearerAuth"]] },
    getSearch: { route: "GET /search", replies: { 200: ["json"], 304: ["none"], 400: ["json"], 406: ["json"], 409: ["json"], 422: ["json"], 429: ["json"], 503: ["json"] } },
    getSession: { route: "GET /session", replies: { 200: ["json"], 304: ["none"], 400: ["json"], 406: ["json"], 409: ["json"], 416: ["json"], 429: ["json"], 503: ["json"], 504: ["json"] } },
    postSession: { route: "POST /session", replies: { 200: ["json"], 400: ["json"], 401: ["json"], 403: ["json"], 406: ["json"], 409: ["json"], 413: ["json"], 415: ["json"], 422: ["json"], 429: ["json"], 503: ["json"] }, body: "application/json" },
    deleteSession: { route: "DELETE /session", replies: { 400: ["json"], 403: ["json"], 406: ["json"], 409: ["json"], 429: ["json"], 503: ["json"], "2XX": ["json", "text", "bytes", "none"] } },
    deleteSessions: { route: "DELETE /sessions", replies: { 400: ["json"], 401: ["json"], 403: ["json"], 406: ["json"], 409: ["json"], 429: ["json"], 503: ["json"], "2XX": ["json", "text", "bytes", "none"] }, security: [["sessionCookie"]] },
    statistics: { route: "GET /statistics", replies: { 200: ["json"], 304: ["none"], 400: ["json"], 406: ["json"], 409: ["json"], 416: ["json"], 422: ["json"], 429: ["json"], 503: ["json"], 504: ["json"] } },
    postToken: { route: "POST /token", replies: { 200: ["json"], 400: ["json"], 401: ["json"], 406: ["json"], 409: ["json"], 413: ["json"], 415: ["json"], 422: ["json"], 429: ["json"], 503: ["json"] }, body: "application/json" },
    getV1BooksId: { route: "GET /v1/books/{id}", replies: { 200: ["json"], 304: ["none"], 400: ["json"], 404: ["json"], 406: ["json"], 409: ["json"], 416: ["json"], 429: ["json"], 503: ["json"], 504: ["json"] } },
  },
  security: {
    bearerAuth: ["header", "authorization", "Bearer "],
    sessionCookie: ["cookie", "session_id", ""],
  },
};

/** Creates a client of the service at `baseUrl`. */
export const createClient = (baseUrl: string, options?: ClientOptions): Api & ClientLifecycle => createApiClient<Api>(api, baseUrl, options);
