const { name = '', logo = '' } = document.querySelector<HTMLElement>('body > [data-name]')?.dataset ?? {};

/** The operator's name, which stands at the end of every title. */
export const serviceName = name;

export function Brand() {
  if (logo !== '') return <img className="logo" src={logo} alt={name} />;
  return <span className="name">{name}</span>;
}
