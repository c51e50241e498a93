mod features;
mod hostile;
mod large;
mod plain_text;
mod tags;
