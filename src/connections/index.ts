export { catalogOf, ConnectionBook, type StartedConnection } from "./book.ts";
