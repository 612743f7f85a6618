export * from "./control/client/public.ts";
