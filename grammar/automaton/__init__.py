"""The grammar of order lines over characters, with prices, for the decoder of ink."""
