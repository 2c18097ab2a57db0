// The texts for copying, downloading and printing, the same as on the login pages (src/pages/texts/).

const en = {
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Your browser does not let this page copy. Select the text and copy it.',
  download: 'Download',
  print: 'Print',
};

const de: typeof en = {
  copy: 'Kopieren',
  copied: 'Kopiert',
  notCopied: 'Ihr Browser lässt diese Seite nicht kopieren. Markieren Sie den Text und kopieren Sie ihn.',
  download: 'Herunterladen',
  print: 'Drucken',
};

export const words = document.documentElement.lang === 'de' ? de : en;
