import { useLoaded, useProject, useSession } from "../live/session.ts";
import { PlainButton } from "../parts/action.tsx";
import { SelectField, TextArea, TextField } from "../parts/fields.tsx";
import { JsonEditor, type JsonProblem } from "../parts/json-editor.tsx";
import { type ApiOperation, bodyExample, bodyKindOf, keyOf, type ParameterObject, typeOf } from "./document.ts";
import { type Draft, linesOf } from "./request.ts";

interface FieldsProps {
  readonly operation: ApiOperation;
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** The number of requests whose parameters are suggested. */
const MAX_RECENT = 50;

/** The fields of the parameters, the required ones first. `hidden` is the parameter that is the project. */
export function Parameters({ hidden, operation, ...props }: FieldsProps & { readonly hidden: string | undefined }) {
  const { project } = useSession();
  const controls = useProject();
  const { value: recent } = useLoaded(async () =>
    project === undefined ? [] : (await controls.requests.page({ limit: MAX_RECENT })).requests,
  );
  const isOptional = (each: ParameterObject) => Number(each.in !== "path" && !each.required);
  // A browser sends its own cookies only.
  const shown = operation.parameters.filter(({ in: place, name }) => place !== "cookie" && name !== hidden);
  const sorted = shown.toSorted((a, b) => isOptional(a) - isOptional(b));
  return sorted.map((parameter) => {
    const used = recent?.flatMap(({ request }) => request.pathParameters[parameter.name] ?? []);
    return <Parameter key={keyOf(parameter)} {...{ ...props, parameter }} suggestions={[...new Set(used)]} />;
  });
}

interface ParameterProps extends Omit<FieldsProps, "operation"> {
  readonly parameter: ParameterObject;
  readonly suggestions: readonly string[];
}

/** A field for a parameter: a choice for fixed values, lines for a list or an object, and otherwise a line of text. */
function Parameter({ parameter, suggestions, draft, onChange }: ParameterProps) {
  const { name, in: place, required, schema = {}, content } = parameter;
  const key = keyOf(parameter);
  const change = (text: string) => onChange({ values: { ...draft.values, [key]: text }, target: undefined });
  const values = schema.type === "boolean" ? [true, false] : (schema.enum ?? []);
  const choices = values.filter((each) => typeof each !== "object").map(String);
  const lines = linesOf(parameter);
  const format = content ? "JSON" : lines === "object" ? "name=value, one per line" : lines && "one per line";
  const type = choices.length > 0 || /^(string|any value)$/.test(typeOf(schema)) ? undefined : typeOf(schema);
  const hint = [place, format ?? type].filter(Boolean).join(", ");
  const field = { value: draft.values[key] ?? "", label: name, hint, required, onChange: change };
  if (lines) return <TextArea {...field} rows={[2, 8]} />;
  if (choices.length > 0) return <SelectField {...field} options={[["", "not sent"], ...choices]} />;
  return <TextField {...field} suggestions={suggestions} />;
}

/** The body as a text, as lines of a form, or as a file if its type is not a text; and its type if there are several. */
export function BodyField({
  operation,
  draft,
  onChange,
  problems,
}: FieldsProps & { problems: readonly JsonProblem[] }) {
  const { body, file, mediaType } = draft;
  const types = Object.keys(operation.requestBody?.content ?? {});
  const isRecorded = file && !(file instanceof File);
  const kind = isRecorded ? "bytes" : bodyKindOf(mediaType);
  const insert = (type: string) => onChange({ mediaType: type, body: bodyExample(operation, type), file: undefined });
  const text = { label: "Body", value: body, onChange: (typed: string) => onChange({ body: typed }) };
  return (
    <div class="fields">
      <div class="bar">
        <strong>Body</strong>
        {types.length > 1 ? (
          <SelectField label="Content type" isBare value={mediaType} options={types} onChange={insert} />
        ) : (
          <span class="quiet">{mediaType}</span>
        )}
        <span class="spacer" />
        {kind !== "bytes" && types.length > 0 && (
          <PlainButton onClick={() => insert(mediaType)}>Insert the example</PlainButton>
        )}
      </div>
      {kind === "json" && <JsonEditor {...text} problems={problems} />}
      {/^(form|multipart|text)$/.test(kind) && (
        <TextArea {...text} isBare placeholder={kind === "text" ? "" : "name=value"} rows={[4, 16]} />
      )}
      {isRecorded && <p>The recorded body of {file.size.toLocaleString("en")} bytes is sent.</p>}
      {/^(bytes|multipart)$/.test(kind) && (
        <label class="field">
          File
          <input
            type="file"
            onChange={({ currentTarget: { files } }) => {
              const chosen = files?.[0];
              onChange({ file: chosen, ...(chosen && types.includes(chosen.type) && { mediaType: chosen.type }) });
            }}
          />
        </label>
      )}
    </div>
  );
}
