import { Component, type ComponentChildren } from "preact";

interface BoundaryProps {
  /** What the page could not show, such as "This view". */
  readonly noun: string;
  readonly children: ComponentChildren;
}

/** Shows one line in place of a part of the page that has a defect. The rest of the page stays usable. */
export class Boundary extends Component<BoundaryProps, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};

  override componentDidCatch(error: Error): void {
    this.setState({ error });
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <p class="failure" role="alert">
        {this.props.noun} has a defect: {error.message}
      </p>
    );
  }
}
