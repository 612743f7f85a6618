import { errorCatalogue } from "./errors.ts";
import { type FromSchema, object } from "./json-schema.ts";

/** The error body of the mock. */
export const ErrorResponse = object(["statusCode", "message", "errors"], {
  statusCode: { type: "integer", minimum: 400, maximum: 599 },
  message: { type: "string" },
  errors: {
    type: "array",
    minItems: 1,
    items: object(["code", "message"], {
      code: { type: "string", enum: [...Object.keys(errorCatalogue), "BadGateway", "GatewayTimeout"] },
      message: { type: "string" },
      field: {
        type: "string",
        description: "The location: a JSON pointer into the body, or the name of a parameter or header.",
      },
      currentVersion: { type: "integer", description: "With ConcurrentModification: the stored version." },
    }),
  },
  error: { type: "string", description: "With 401 and 403: the error code of RFC 6750." },
  error_description: { type: "string" },
});
export type ErrorResponse = FromSchema<typeof ErrorResponse>;
